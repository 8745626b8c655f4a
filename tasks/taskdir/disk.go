package taskdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"ocaptain/tasks"
)

// maxFile is the largest task file that Read reads.
const maxFile = 1 << 20

// suffix is the end of a task file's name.
const suffix = ".json"

// temporary starts the names of unfinished files.
const temporary = ".ocaptain-"

// highWater is the file where Claude Code keeps the highest id ever used.
const highWater = ".highwatermark"

// Read returns the content of a file, at most maxFile bytes. It fails for anything but a plain
// file, since other processes may have put a pipe or a link there.
func Read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a plain file", filepath.Base(path))
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", filepath.Base(path), maxFile)
	}
	return data, err
}

// Parse reads a task file as strictly as Claude Code: it refuses a file that lacks a list or has null for an optional
// field.
func Parse(data []byte) (tasks.Task, error) {
	var t tasks.Task
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return t, err
	}
	for _, k := range []string{"id", "subject", "description", "status", "blocks", "blockedBy"} {
		if _, ok := fields[k]; !ok {
			return t, fmt.Errorf("%s is missing", k)
		}
	}
	for _, k := range []string{"id", "subject", "description", "activeForm", "owner", "status", "blocks", "blockedBy", "metadata"} {
		if string(fields[k]) == "null" {
			return t, fmt.Errorf("%s is null", k)
		}
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return t, err
	}
	if !t.Status.IsValid() {
		return t, fmt.Errorf("status is %q", t.Status)
	}
	return t, nil
}

// render returns the content of the task's file, as Claude Code formats it.
func render(t tasks.Task) ([]byte, error) {
	compact, err := t.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", t.ID, err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err != nil {
		return nil, fmt.Errorf("task %s: %w", t.ID, err)
	}
	return b.Bytes(), nil
}

// replace atomically replaces the file at path. It does not sync, since the directory is rebuilt after a crash.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), temporary)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o600), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// removeTempFiles removes unfinished files after a crash.
func removeTempFiles(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, temporary+"*"))
	for _, path := range left {
		os.Remove(path)
	}
}

// raiseHighWater makes the highest id in Claude Code's file at least top.
func raiseHighWater(dir string, top uint64) error {
	path := filepath.Join(dir, highWater)
	data, err := Read(path)
	if err == nil && tasks.NumberOf(strings.TrimSpace(string(data))) >= top {
		return nil
	}
	return replace(path, strconv.AppendUint(nil, top, 10))
}
