// Package redistest runs a real Redis for tests.
package redistest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
	args   []string
	cmd    *exec.Cmd
	done   chan struct{} // closed when the process has ended
}

// Start starts a Redis that keeps its data when it is killed. It is stopped when the test ends. args are options of
// redis-server.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "redis") // a path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{URL: "unix://" + filepath.Join(dir, "socket"), dir: dir, args: args}
	if s.Client, err = redislog.Connect(s.URL, ""); err != nil {
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
	args := append([]string{"--port", "0", "--unixsocket", filepath.Join(s.dir, "socket"), "--dir", s.dir, "--appendonly", "yes", "--save", "", "--daemonize", "no"}, s.args...)
	s.cmd, s.done = exec.Command("redis-server", args...), make(chan struct{})
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
