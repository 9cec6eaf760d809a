"""python -m oip_conformance: the program itself."""
import os
import sys

from oip_conformance import program

os.execv(program(), ["oip-conformance", *sys.argv[1:]])
