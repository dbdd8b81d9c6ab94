"""Why a bundle is not taken, or not given."""

from loadstone.errors import AppError, Conflict


class BundleRefused(AppError):
    code = "bundle_unreadable"
    status = 422
    title = "The bundle cannot be imported"


class BundleFilesUnexpected(BundleRefused):
    """Also names that would lead out of a folder: a bundle holds the files that its format names and no others."""

    code = "bundle_files_unexpected"


class BundleTooLarge(BundleRefused):
    code = "bundle_too_large"


class BundleVersionUnknown(BundleRefused):
    code = "bundle_version_unknown"


class BundleChecksumWrong(BundleRefused):
    code = "bundle_checksum_wrong"


class BundleRowInvalid(BundleRefused):
    code = "bundle_row_invalid"


class BundleInconsistent(BundleRefused):
    code = "bundle_inconsistent"


class RunNotOver(Conflict):
    code = "run_not_over"
    title = "The run has not ended"
