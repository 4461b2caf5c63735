"""`compare`: the same prompts through several engines, told as a table, a plot and a JSON file.

`trace` sees the model's forwards, `measure` runs the engines, `readings` holds what was seen and `figures` what
follows from it; `table`, `plot` and `record` show it, and `run` is the verb. Every engine is measured alike, from
outside, by what the model sees: no part knows which one it has before it.
"""
