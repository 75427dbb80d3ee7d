"""The report."""
def write(results, output, chosen=()):
    return []
