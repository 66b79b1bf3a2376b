"""Names as Acme writes them."""
