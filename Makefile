# Every verb is one line that calls `python -m kata`, which also works without make (`python -m kata help`).
# It sets up .venv by itself; `KATA_PYTHON=/path/to/python` takes another environment.
# make ends with 2 whatever goes wrong; `Error N` tells the true exit status.

PYTHON ?= $(or $(wildcard .venv/bin/python .venv/Scripts/python.exe),$(shell command -v python3 || command -v python))
KATA = @"$(PYTHON)" -m kata
WATCH = $(if $(ALL),-v) $(if $(FORCE),--force) $(if $(LIMIT),--limit '$(LIMIT)')
TO_READ = $(if $(JSON),--json) $(if $(JUNIT),--junit '$(JUNIT)')
CHECK = $(WATCH) $(if $(IMPL),--impl '$(IMPL)') $(TO_READ)
TALK = $(if $(ENGINE),--engine '$(ENGINE)') $(if $(MODEL),--model '$(MODEL)') $(if $(IMPL),--impl '$(IMPL)')
PROVE = $(if $(CHECK_ONLY),--check) $(if $(JOBS),--jobs '$(JOBS)') $(if $(JSON),--json)
MUTATE = $(if $(ONLY),--only '$(ONLY)') $(if $(JOBS),--jobs '$(JOBS)')
COMPARE = $(if $(or $(ENGINES),$(ENGINE)),--engines '$(or $(ENGINES),$(ENGINE))') $(if $(MODEL),--model '$(MODEL)') $(if $(IMPL),--impl '$(IMPL)') \
  $(if $(TOKENS),--new-tokens '$(TOKENS)') $(if $(REPEATS),--repeats '$(REPEATS)') $(if $(OUT),--out '$(OUT)')

# `make check 2` would check another step, and `make check N=2` too
MEANT = $(firstword $(filter 1 2 3 4 5 6 7 8 9,$(MAKECMDGOALS)) $(if $(filter command%,$(origin N)),$(N)))
ifneq ($(MEANT),)
$(error the number belongs to the verb: make $(firstword $(filter-out 1 2 3 4 5 6 7 8 9,$(MAKECMDGOALS)) check)-$(MEANT))
endif

.PHONY: help check watch hint progress reset backups restore solution jump update serve chat compare test prove mutate gpu bench stubs setup setup-smollm2
.DEFAULT_GOAL := help

help:
	$(KATA) help

check:
	$(KATA) check $(CHECK)

watch:
	$(KATA) watch $(WATCH)

watch-%:
	$(KATA) watch '$*' $(WATCH)

check-%:
	$(KATA) check '$*' $(CHECK)

hint:
	$(KATA) hint

hint-%:
	$(KATA) hint '$*'

progress:
	$(KATA) progress $(TO_READ)

# without a number these three only say how they are used
reset solution jump:
	$(KATA) $@

reset-%:
	$(KATA) reset '$*'

backups:
	$(KATA) backups

restore:
	$(KATA) restore $(if $(NAME),'$(NAME)')

restore-%:
	$(KATA) restore '$*'

solution-%:
	$(KATA) solution '$*' $(if $(YES),--yes)

jump-%:
	$(KATA) jump '$*'

update:
	$(KATA) update

serve:
	$(KATA) serve $(TALK) $(if $(PORT),--port '$(PORT)')

chat:
	$(KATA) chat $(TALK)

compare:
	$(KATA) compare $(COMPARE)

test:
	$(KATA) test

prove:
	$(KATA) prove $(PROVE)

prove-%:
	$(KATA) prove '$*' $(PROVE)

mutate:
	$(KATA) mutate $(MUTATE)

mutate-%:
	$(KATA) mutate '$*' $(MUTATE)

gpu:
	$(KATA) gpu

bench:
	$(KATA) bench

stubs:
	$(KATA) stubs $(if $(CHECK_ONLY),--check) $(if $(YES),--yes)

setup:
	$(KATA) setup

setup-smollm2:
	$(KATA) setup-smollm2
