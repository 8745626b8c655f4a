package stage

import "time"

// Terms are what hubs need to know to join a session in Redis. The hub that begins the session writes them. They are in the log of the session, and hold no secret.
type Terms struct {
	Remote    string        `json:"remote"` // as in fleet.Shared
	Branch    string        `json:"branch"`
	Base      string        `json:"base"` // the commit at which the branch begins
	Name      string        `json:"name"`
	Objective string        `json:"objective,omitempty"`
	Reviewed  bool          `json:"reviewed,omitempty"` // work is reviewed before it is merged
	AskPlan   bool          `json:"ask_plan,omitempty"`
	Unchecked bool          `json:"unchecked,omitempty"`
	Forgetful bool          `json:"forgetful,omitempty"`
	MaxQueue  int           `json:"max_queue,omitempty"`
	Lease     time.Duration `json:"lease,omitempty"`
	// MaxNestedDepth is that of fleet.SessionSpec.
	MaxNestedDepth *int   `json:"max_nested_depth,omitempty"`
	Spec           []byte `json:"spec,omitempty"`   // spec.md
	Verify         []byte `json:"verify,omitempty"` // verify.sh
}
