# want: memory_limit
# limits: memory=96MiB
x=xxxxxxxxxxxxxxxx
while :; do x=$x$x; done
