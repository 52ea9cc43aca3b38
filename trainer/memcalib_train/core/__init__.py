"""The credit assignment of the paper: torch, float64, no model, no files. Read channels, groups, localize, project, credit."""
