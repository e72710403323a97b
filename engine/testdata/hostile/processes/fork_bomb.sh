# The classic, with the shell waiting for it.
# want: timeout process_limit runtime_error
# limits: wall=2s processes=20
bomb() { bomb | bomb & }
bomb
while :; do wait; done
