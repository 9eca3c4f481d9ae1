"""What tests share: random material, oracles, real data, whole command lines, servers, hostile files.

Imported as `from support.x import y`; the folder of the root conftest is on the path of every test.
"""
