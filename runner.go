package glovebox

import "context"

// Runner runs Jobs. *engine.Engine is the one that runs them on this machine; what takes
// a Runner works as well with one that runs them elsewhere.
//
// Run returns the Observation of job. The error is not nil only where there is no
// Observation: the Runner is closed or has too much to do, or the Job cannot be understood. A Job that ctx ends
// has the status [StatusCancelled]. Run is called by many goroutines at once.
type Runner interface {
	Run(ctx context.Context, job Job) (*Observation, error)
}
