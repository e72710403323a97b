# Ruby tries again for as long as there is no room.
# want: timeout process_limit
# limits: wall=2s processes=20
loop { fork { sleep 100 } }
