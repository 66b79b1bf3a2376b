"""What the environment says about object stores, under the names that their own tools use."""

from __future__ import annotations

from collections.abc import Mapping

from ..values.settings import Stores


def stores_of(environment: Mapping[str, str]) -> Stores:
    """The endpoints, region and account that the user has set up."""

    def first(*names: str) -> str:
        return next((environment[name] for name in names if environment.get(name)), "")

    found = Stores(
        s3_endpoint=first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
        s3_region=first("AWS_REGION", "AWS_DEFAULT_REGION"),
        gcs_endpoint=first("STORAGE_EMULATOR_HOST"),
        azure_account=first("AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME"),
        azure_connection=first("AZURE_STORAGE_CONNECTION_STRING"),
    )
    key = first("AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY")
    if key and found.azure_account and not found.azure_connection:
        connection = f"AccountName={found.azure_account};AccountKey={key}"
        found = found.evolve(azure_connection=connection)
    return found
