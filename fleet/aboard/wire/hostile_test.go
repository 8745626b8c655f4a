package wire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/tasks/eventually"
)

// feed sends raw bytes to a new connection and returns why the connection ended.
func feed(t *testing.T, raw []byte) error {
	t.Helper()
	x, y := net.Pipe()
	c := wire.New(x, wire.Options{Handlers: wire.Handlers{
		"echo": func(_ context.Context, p json.RawMessage) (any, error) { return p, nil },
	}})
	go func() { _, _ = io.Copy(io.Discard, y) }()
	eventually.Cut(t, y)
	_, _ = y.Write(raw)
	_ = y.Close()
	<-c.Done()
	c.Wait()
	return c.Err()
}

// TestRuleBreakersAreCutOff checks that the connection ends with a reason when the other end breaks the rules.
func TestRuleBreakersAreCutOff(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"too long":       {strings.Repeat("x", wire.MaxMessage+1), "longer than"},
		"too long valid": {`{"kind":"note","method":"` + strings.Repeat("x", wire.MaxMessage) + "\"}\n", "longer than"},
		"not json":       {"hello\n", "not valid"},
		"two on a line":  {`{"kind":"ping"} {"kind":"ping"}` + "\n", "more than one"},
		"array":          {"[]\n", "not valid"},
		"null":           {"null\n", "unknown kind"},
		"empty line":     {"\n", "not valid"},
		"unknown kind":   {`{"kind":"sing"}` + "\n", "unknown kind"},
		"unknown field":  {`{"kind":"ping","x":1}` + "\n", "unknown field"},
		"call, no id":    {`{"kind":"call","method":"echo"}` + "\n", "needs an id"},
		"odd field":      {`{"kind":"ping","id":4}` + "\n", "must not have"},
		"negative id":    {`{"kind":"cancel","id":-4}` + "\n", "not valid"},
		"both answers":   {`{"kind":"reply","id":1,"result":1,"error":{"text":"x"}}` + "\n", "a result or an error"},
		"deep":           {`{"kind":"note","method":"x","params":` + strings.Repeat("[", 200000) + "\n", "not valid"},
		"torn":           {`{"kind":"pi`, "unexpected EOF"},
	} {
		if err := feed(t, []byte(c.in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: ended with %v", name, err)
		}
	}
	for name, in := range map[string]string{
		"nothing":          "",
		"stray reply":      `{"kind":"reply","id":99,"result":1}` + "\n",
		"stray cancel":     `{"kind":"cancel","id":99}` + "\n",
		"unknown method":   `{"kind":"call","id":1,"method":"no"}` + "\n",
		"unknown notice":   `{"kind":"note","method":"no"}` + "\n",
		"refused and gone": strings.Repeat(`{"kind":"call","id":1,"method":"no"}`+"\n", 100),
	} {
		if err := feed(t, []byte(in)); !wire.Gone(err) || strings.Contains(err.Error(), "not valid") {
			t.Errorf("%s: ended with %v", name, err)
		}
	}
}

// An end that calls and never reads is cut off, or blocks itself; it cannot use up the memory of the other end.
func TestNeverReading(t *testing.T) {
	x, y := net.Pipe()
	c := wire.New(x, wire.Options{})
	line := []byte(`{"kind":"call","id":1,"method":"no"}` + "\n")
	eventually.Cut(t, y)
	for {
		if _, err := y.Write(line); err != nil {
			if !errors.Is(err, io.ErrClosedPipe) {
				t.Fatalf("it was not cut off: %v", err)
			}
			break
		}
	}
	<-c.Done()
	if !strings.Contains(c.Err().Error(), "does not read") {
		t.Errorf("ended with %v", c.Err())
	}
	_ = y.Close()
	c.Wait()
}

// FuzzConn checks that no input makes a connection panic, hang or leak goroutines.
func FuzzConn(f *testing.F) {
	f.Add([]byte(`{"kind":"call","id":1,"method":"echo","params":{"a":[1]}}` + "\n"))
	f.Add([]byte(`{"kind":"reply","id":1,"error":{"text":"x"}}` + "\n" + `{"kind":"ping"}` + "\n"))
	f.Add([]byte(`{"kind":"cancel","id":1}` + "\n{"))
	f.Add(bytes.Repeat([]byte(`{"kind":"ping"}`+"\n"), 50))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := feed(t, raw); err == nil {
			t.Fatal("the connection outlived its stream")
		}
	})
}
