"""The version of the package, in the one place that the build, the façade and cards read.

Not the metadata of an installed package: a copy in another project's folder, or in a zip, has none.
"""

__version__ = "0.1.0"
