"""What is deployed, as files: `importlib.resources.files("orders_infra") / "app-prod.yaml"`."""
