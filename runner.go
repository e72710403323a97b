package glovebox

import "context"

// Runner runs Jobs. *engine.Engine runs Jobs on this machine; other Runners may run Jobs
// elsewhere.
//
// Run returns the Observation of job, or an error where there is none: the Runner is closed
// or too busy, or the Job cannot be understood. A Job ended by ctx has the status
// [StatusCancelled]. Run is called by many goroutines at once.
type Runner interface {
	Run(ctx context.Context, job Job) (*Observation, error)
}
