"""The runner of the kata: `python -m kata VERB`. It knows the steps; it knows nothing of their checks."""
