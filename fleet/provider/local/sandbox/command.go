package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Command is one behind the wall.
type Command struct {
	*exec.Cmd
	own   *Network
	info  *os.File // tells the id of the first process behind the wall
	life  *os.File // read by what carries the ship's network, and held open by the ship
	first int
}

// Command prepares a command that finds its file at descriptor 3. It shares this machine's network if it has none of
// its own.
func (s *Sandbox) Command(ctx context.Context, own *Network, argv []string, file *os.File) (*Command, error) {
	info, told, err := infoPipe()
	if err != nil {
		return nil, err
	}
	c := &Command{own: own, info: info}
	files := []*os.File{file, told}
	if own != nil {
		var held *os.File
		if c.life, held, err = os.Pipe(); err != nil {
			c.Close()
			told.Close()
			return nil, err
		}
		files = append(files, held)
	}
	if c.Cmd, err = s.command(ctx, files, append(own.arguments(), "--info-fd", "4"), argv); err != nil {
		c.Close()
		closeFiles(files[1:])
		return nil, err
	}
	return c, nil
}

// command prepares a command that finds the files at the descriptors from 3 on. The caller closes all its files.
func (s *Sandbox) command(ctx context.Context, files []*os.File, more, argv []string) (*exec.Cmd, error) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("bubblewrap is not installed")
	}
	rules, err := wallFilter()
	if err != nil {
		return nil, err
	}
	filter, err := readable(rules)
	if err != nil {
		return nil, err
	}
	args := slices.Concat(s.args, []string{"--seccomp", strconv.Itoa(3 + len(files))}, more, []string{"--"}, argv)
	cmd := exec.CommandContext(ctx, bwrap, args...)
	cmd.ExtraFiles = append(files, filter)
	cmd.Env = []string{"PATH=/usr/bin:/bin", s.at.Marker()}
	// Bubblewrap that is killed while it builds the wall leaves a process that waits without end:
	// end both.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd, nil
}

// Check runs something behind the wall: an installed bubblewrap does not mean that the kernel and its
// security modules let it work. Check leaves no file, since another process may now be removing the
// home of the same ship.
func (s *Sandbox) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd, err := s.command(ctx, nil, nil, []string{"test", "-d", s.at.Home})
	if err != nil {
		return err
	}
	defer closeFiles(cmd.ExtraFiles)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bubblewrap does not work here: %s (%w)", strings.TrimSpace(said.String()), err)
	}
	return nil
}

// CheckNetwork connects something behind the wall.
func (s *Sandbox) CheckNetwork(ctx context.Context, own *Network) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	c, err := s.Command(ctx, own, []string{"cat"}, null)
	if err != nil {
		return err
	}
	defer c.Close()
	stdin, err := c.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	defer func() {
		stdin.Close()
		_ = c.Wait()
	}()
	if _, err := c.First(ctx); err != nil {
		return err
	}
	return c.Connect(ctx)
}

// First is the id of the first process behind the wall, once the command has been started.
func (c *Command) First(ctx context.Context) (int, error) {
	closeFiles(c.ExtraFiles)
	defer context.AfterFunc(ctx, func() { c.info.Close() })()
	var told struct {
		Pid int `json:"child-pid"`
	}
	if err := json.NewDecoder(c.info).Decode(&told); err != nil || told.Pid <= 1 {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return 0, errors.New("bubblewrap failed")
	}
	c.first = told.Pid
	return c.first, nil
}

// Connect gives the ship its own network.
func (c *Command) Connect(ctx context.Context) error {
	if err := c.own.connect(ctx, c.first, c.life); err != nil {
		return &NoNetworkError{err}
	}
	return nil
}

// Close lets go of what the command does not need to go on.
func (c *Command) Close() {
	if c.Cmd != nil {
		closeFiles(c.ExtraFiles)
	}
	closeFiles([]*os.File{c.info, c.life})
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		f.Close() // nil is allowed
	}
}

// infoPipe is the pipe on which bubblewrap reports the process behind the wall. The end that bubblewrap
// gets can read too: otherwise, without a reader, the report would kill bubblewrap, and the other process
// would wait for it without end.
func infoPipe() (info, told *os.File, err error) {
	info, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer write.Close()
	told, err = os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", write.Fd()), os.O_RDWR, 0)
	if err != nil {
		info.Close()
		return nil, nil, err
	}
	return info, told, nil
}

// readable is a file that has the content, to be read from the start.
func readable(content []byte) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = write.Write(content) // a pipe has room for so little
	if err := errors.Join(err, write.Close()); err != nil {
		read.Close()
		return nil, err
	}
	return read, nil
}
