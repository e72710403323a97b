const text = 'x'.repeat(65536);
for (;;) process.stdout.write(text);
