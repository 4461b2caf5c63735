"""Doubles: models and tokenizers whose every answer a check dictates and whose every call it can read."""
