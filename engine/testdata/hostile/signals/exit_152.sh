# want: runtime_error
exit 152
