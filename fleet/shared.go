package fleet

import (
	"fmt"
	"time"

	"ocaptain/tasks/redislog"
)

// Shared says where several hubs share the tasks of a voyage.
type Shared struct {
	URL     string `json:"url"`           // address of the Redis, without a password
	Session string `json:"session"`       // the session's name there: the id of the voyage that began it
	Hub     int    `json:"hub,omitempty"` // the number of this hub among those that share the tasks, 0 for the hub that began the session
	// Remote is the address of the repository where the hubs bring all work to the voyage's branch. If it is "", only the hub that began the
	// session has ships.
	Remote   string `json:"remote,omitempty"`
	Reviewed bool   `json:"reviewed,omitempty"` // work is reviewed before it is merged, by a validator of any hub
	// Lease is how long a hub may be silent before its ships' tasks go to others, 0 for any time.
	Lease time.Duration `json:"lease,omitempty"`
}

// Lease is the default of Shared.Lease.
const Lease = 10 * time.Minute

// Terms are what a hub that begins a session in Redis says to hubs that join it. They are in the log of the session, and hold no secret.
type Terms struct {
	Remote    string        `json:"remote"` // as in Shared
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
	// MaxNestedDepth is that of SessionSpec.
	MaxNestedDepth *int   `json:"max_nested_depth,omitempty"`
	Spec           []byte `json:"spec,omitempty"`   // spec.md
	Verify         []byte `json:"verify,omitempty"` // verify.sh
}

// HubNumber returns the number of this hub among those that share the tasks of a voyage.
func (v *Voyage) HubNumber() int {
	if v.Shared == nil {
		return 0
	}
	return v.Shared.Hub
}

// SessionID returns the id by which commits name the session of a voyage: the id of the voyage that began it.
func (v *Voyage) SessionID() string {
	if v.Shared != nil {
		return v.Shared.Session
	}
	return v.ID
}

// Admission holds the secrets of a session in Redis: the file Dir.Admission, mode 0600.
type Admission struct {
	Password string `json:"password,omitempty"` // password of the user in the URL
	Secret   string `json:"secret"`             // secret of the session: its holder can change the tasks
	Token    string `json:"token,omitempty"`    // logs in at GitHub, to push to the repository that hubs share
}

// String keeps the secrets out of errors and logs.
func (Admission) String() string { return "an admission" }

// GoString is String, for %#v.
func (a Admission) GoString() string { return a.String() }

// Log returns the log of the tasks that hubs share. The first request connects.
func (s *Shared) Log(d Dir) (*redislog.Log, error) {
	var opens Admission
	if err := Load(d.Admission(), &opens); err != nil {
		return nil, fmt.Errorf("what opens session %s in Redis: %w", s.Session, err)
	}
	return redislog.Open(redislog.Place{URL: s.URL, Password: opens.Password, Session: s.Session, Secret: opens.Secret})
}
