package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/journal"
	"ocaptain/tasks/redislog"
	"ocaptain/tasks/redislog/redistest"
	"ocaptain/ui/launch/stage"
)

// redisBeside returns the address of the Redis next to that directory of a test.
func redisBeside(dir string) string { return "unix://" + filepath.Join(filepath.Dir(dir), "redis") }

// hostileSession makes a session in a Redis, with a hostile task.
func hostileSession(t *testing.T, b *bridge, dir string) {
	t.Helper()
	server := redistest.Start(t)
	if err := os.Symlink(strings.TrimPrefix(server.URL, "unix://"), filepath.Join(filepath.Dir(dir), "redis")); err != nil {
		t.Fatal(err)
	}
	log, err := redislog.Open(redislog.Place{URL: server.URL, Session: testVoyage, Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	j, err := journal.Open(filepath.Join(t.TempDir(), "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	store, err := dirstore.OpenShared(t.TempDir(), j, nil, log, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Join(t.Context(), testVoyage, hostileTerms()); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Add(t.Context(), []tasks.Task{{Subject: evil, Description: evil, Status: tasks.Pending}}); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Claim(t.Context(), evil[:min(len(evil), 150)], ""); err != nil {
		t.Fatal(err)
	}
	b.environ = append(b.environ, sessionSecret+"=secret")
}

// hostileTerms are terms that no hub may follow or show as they are.
func hostileTerms() []byte {
	raw, _ := json.Marshal(stage.Terms{Remote: "ext::sh -c true", Branch: evil, Base: evil, Name: evil, Objective: evil, Verify: []byte(evil)})
	return raw
}
