# The code of timeout(1).
# want: runtime_error
exit 124
