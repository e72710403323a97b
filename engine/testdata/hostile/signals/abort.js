// want: runtime_error
process.abort();
