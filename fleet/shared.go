package fleet

import (
	"fmt"

	"ocaptain/tasks/redislog"
)

// Shared says where several hubs share the tasks of a voyage.
type Shared struct {
	URL     string `json:"url"`     // address of the Redis, without a password
	Session string `json:"session"` // the session's name there: the id of the voyage that began it
}

// Admission holds the secrets of a session in Redis: the file Dir.Admission, mode 0600.
type Admission struct {
	Password string `json:"password,omitempty"` // password of the user in the URL
	Secret   string `json:"secret"`             // secret of the session: its holder can change the tasks
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
