"""Models: loading, one scorer for every pass, generators."""
