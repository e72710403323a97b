package linux

// Timespec is a time in seconds and nanoseconds (linux/time.h).
type Timespec struct{ Sec, Nsec int64 }
