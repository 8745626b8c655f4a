package fleet

import (
	"fmt"
	"time"

	"ocaptain/fleet/summed"
	"ocaptain/tasks/redislog"
)

// Shared says where several hubs share the tasks of a voyage.
type Shared struct {
	URL     string `json:"url"`           // address of the Redis, without a password
	Session string `json:"session"`       // the session's name there: the id of the voyage that began it
	Hub     int    `json:"hub,omitempty"` // the number of this hub in the session, 0 for the hub that began the session
	// Remote is the address of the repository where the hubs bring all work to the voyage's branch. If it is "", only the hub that began the
	// session has ships.
	Remote   string `json:"remote,omitempty"`
	Reviewed bool   `json:"reviewed,omitempty"` // work is reviewed before it is merged, by a validator of any hub
	// Lease is how long a hub may be silent before its ships' tasks go to others, 0 for any time.
	Lease time.Duration `json:"lease,omitempty"`
}

// Lease is the default of Shared.Lease.
const Lease = 10 * time.Minute

// HubNumber returns the number of this hub in the session of a voyage, 0 for a voyage of one hub.
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
	if err := summed.Read(d.Admission(), &opens); err != nil {
		return nil, fmt.Errorf("what opens session %s in Redis: %w", s.Session, err)
	}
	return redislog.Open(redislog.Place{URL: s.URL, Password: opens.Password, Session: s.Session, Secret: opens.Secret})
}
