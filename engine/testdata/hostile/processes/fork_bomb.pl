# want: timeout
# limits: wall=2s processes=20
fork while 1;
