package fleet

import (
	"fmt"

	"ocaptain/tasks/redislog"
)

// Shared says where the tasks of a voyage are that several hubs share.
type Shared struct {
	URL     string `json:"url"`     // of the Redis, without a password
	Session string `json:"session"` // what it is called there: the id of the voyage that began it
}

// Admission opens a session in Redis: the file Dir.Admission, 0600.
type Admission struct {
	Password string `json:"password,omitempty"` // of the user that the URL names
	Secret   string `json:"secret"`             // of the session: its holder can change the tasks
}

// String keeps the secrets out of errors and logs.
func (Admission) String() string { return "an admission" }

// GoString is String, for %#v.
func (a Admission) GoString() string { return a.String() }

// Log returns the log of the tasks that hubs share. It connects with the first request.
func (s *Shared) Log(d Dir) (*redislog.Log, error) {
	var opens Admission
	if err := Load(d.Admission(), &opens); err != nil {
		return nil, fmt.Errorf("what opens session %s in Redis: %w", s.Session, err)
	}
	return redislog.Open(redislog.Place{URL: s.URL, Password: opens.Password, Session: s.Session, Secret: opens.Secret})
}
