"""The contracts and the runtime that every step builds on. Nothing here imports a step, and no learner edits it."""
