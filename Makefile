# Every verb is one line that calls `python -m kata`, which also works without make (`python -m kata help`).
# It sets up .venv by itself; `KATA_PYTHON=/path/to/python` takes another environment.
# make ends with 2 whatever goes wrong; `Error N` tells the true exit status.

PYTHON ?= $(or $(wildcard .venv/bin/python .venv/Scripts/python.exe),$(shell command -v python3 || command -v python))
KATA = @"$(PYTHON)" -m kata
CHECK = $(if $(ALL),-v) $(if $(FORCE),--force) $(if $(IMPL),--impl '$(IMPL)') $(if $(LIMIT),--limit '$(LIMIT)')
TALK = $(if $(ENGINE),--engine '$(ENGINE)') $(if $(MODEL),--model '$(MODEL)') $(if $(IMPL),--impl '$(IMPL)')
PROVE = $(if $(CHECK_ONLY),--check) $(if $(JOBS),--jobs '$(JOBS)') $(if $(JSON),--json)
COMPARE = $(if $(or $(ENGINES),$(ENGINE)),--engines '$(or $(ENGINES),$(ENGINE))') $(if $(MODEL),--model '$(MODEL)') $(if $(IMPL),--impl '$(IMPL)') \
  $(if $(TOKENS),--new-tokens '$(TOKENS)') $(if $(REPEATS),--repeats '$(REPEATS)') $(if $(OUT),--out '$(OUT)')

.PHONY: help check hint progress reset backups restore solution jump update serve chat compare test prove gpu bench stubs setup setup-smollm2
.DEFAULT_GOAL := help

help:
	$(KATA) help

check:
	$(KATA) check $(CHECK)

check-%:
	$(KATA) check '$*' $(CHECK)

hint:
	$(KATA) hint

hint-%:
	$(KATA) hint '$*'

progress:
	$(KATA) progress

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
