"""The tiny model that ships with the kata: its training text, the recipe, its weights."""
