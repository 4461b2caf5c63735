"""The runner of the kata: `python -m kata VERB`. It knows the steps; it knows nothing of their checks.

The life of `check 3`: `cli` reads the words, `checking` finds out what is to be checked on whose earlier steps,
`check` reads the file (`source`) and the list of checks (`expected`), `run` lets pytest loose in a process of its own
(`child`), where `evidence` signs what truly happened and `guards` keeps a solution from leaving early, `verdict`
judges, `report` tells, and `progress` remembers.

    the words       cli, verbs, pages, look, keys, screen
    a check         checking, check, source, expected, run, child, evidence, signed, guards, output, stacks, describe,
                    causes, verdict, report, looks_like
    kept warm       watch, watch_lines, saves, standby, warm, forks, memory
    the learner's   progress, path, fingerprint, files, backups, keeping, hints, lessons, beside, update
    engines         engines, serve, chat, chat_settings, answer, forwards, compare
    for machines    for_machines, as_json, as_junit
    the house       steps, solution, stubs, failure, setup_env, requirements, find_python, machine, spread
"""
