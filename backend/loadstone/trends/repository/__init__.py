"""SQL of trends, by what it reads and writes."""
