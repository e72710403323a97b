use Test::Deep;
exit 1 unless eq_deeply(add(2, 3), 5);
exit 1 unless eq_deeply(add(4, 4), 8);
print "ok!";
