"""What every dialect is run with, below the commands and builds."""
