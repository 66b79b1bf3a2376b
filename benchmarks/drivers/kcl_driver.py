"""Prints what a KCL program means as JSON."""

import sys

from kcl_lib import api

done = api.API().exec_program(api.ExecProgramArgs(k_filename_list=[sys.argv[1]]))
if done.err_message:
    sys.exit(done.err_message)
sys.stdout.write(done.json_result)
