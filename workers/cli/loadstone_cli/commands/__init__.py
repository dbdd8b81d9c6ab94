"""One module a noun; each only asks the api and shows what it said."""
