"""Recall: facts and passages for a query, each with the factors of its score; and the context compiled of them."""
