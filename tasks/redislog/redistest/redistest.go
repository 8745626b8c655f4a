// Package redistest runs a real Redis for tests.
package redistest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/tasks/eventually"
	"ocaptain/tasks/redislog"

	"github.com/gomodule/redigo/redis"
)

// Server is a Redis with a directory and a socket of its own.
type Server struct {
	URL    string
	Client *redislog.Client // for what a stranger does to it
	dir    string
	argv   []string
	cmd    *exec.Cmd
	done   chan struct{} // closed when the process has ended
}

// Start starts a Redis that keeps its data when it is killed. It is stopped when the test ends. args are options of
// redis-server.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	return StartBy(t, nil, "", args...)
}

// StartBy is Start for a Redis with a password, or "" for none. by is the beginning of the command that runs redis-server.
func StartBy(t testing.TB, by []string, password string, args ...string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "redis") // a path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{URL: "unix://" + filepath.Join(dir, "socket"), dir: dir}
	s.argv = slices.Concat(by, []string{"redis-server", "--port", "0", "--unixsocket", filepath.Join(dir, "socket"), "--dir", dir, "--appendonly", "yes", "--save", "", "--daemonize", "no", "--requirepass", password}, args)
	if s.Client, err = redislog.Connect(s.URL, password); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Kill()
		_ = s.Client.Close()
		_ = os.RemoveAll(dir)
	})
	s.Run(t)
	return s
}

// Run starts the Redis again, with the data that it had.
func (s *Server) Run(t testing.TB) {
	t.Helper()
	s.cmd, s.done = exec.Command(s.argv[0], s.argv[1:]...), make(chan struct{})
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait()
		close(done)
	}(s.cmd, s.done)
	eventually.Succeeds(t, "redis answers", func() error {
		_, err := s.Client.Do(context.Background(), "PING")
		if refused, ok := errors.AsType[redis.Error](err); ok && strings.HasPrefix(refused.Error(), "NOAUTH ") { // it asks for a password
			return nil
		}
		return err
	})
}

// Kill kills the Redis.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill()
	<-s.done
}
