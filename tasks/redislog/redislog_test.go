package redislog_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ocaptain/tasks/eventually"
	"ocaptain/tasks/redislog"
	"ocaptain/tasks/redislog/redistest"
)

// begun returns a new log with three entries, and the mark of the last.
func begun(t *testing.T, p redislog.Place) (*redislog.Log, redislog.Mark) {
	t.Helper()
	l := opened(t, p)
	var at redislog.Mark
	for i := range 3 {
		newer, appended, err := l.Append(t.Context(), at, texts(fmt.Sprint("entry ", i)), true)
		if err != nil || appended != 1 || len(newer) != 1 {
			t.Fatalf("append %d: %v, %v, %v", i, newer, appended, err)
		}
		at = newer[0].Mark
	}
	return l, at
}

func texts(all ...string) (data [][]byte) {
	for _, text := range all {
		data = append(data, []byte(text))
	}
	return data
}

func opened(t *testing.T, p redislog.Place) *redislog.Log {
	t.Helper()
	l, err := redislog.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// TestAppend checks that an entry is appended only after the last entry, and that a late hub gets the newer entries
// instead.
func TestAppend(t *testing.T) {
	p := redislog.Place{URL: redistest.Start(t).URL, Session: "s", Secret: "x"}
	l, last := begun(t, p)
	first, err := l.Read(t.Context(), redislog.Mark{})
	if err != nil || len(first) != 3 || first[2].Mark != last || string(first[0].Data) != "entry 0" {
		t.Fatalf("read %v, %v", first, err)
	}
	newer, appended, err := l.Append(t.Context(), first[1].Mark, texts("late"), false)
	if err != nil || appended != 0 || len(newer) != 1 || newer[0].Mark != last {
		t.Errorf("late append gave %v, %v, %v", newer, appended, err)
	}
	newer, appended, err = l.Append(t.Context(), first[1].Mark, texts("entry 2"), false) // repeated, as if the answer had been lost
	if err != nil || appended != 1 || len(newer) != 1 {
		t.Errorf("repeated append gave %v, %v, %v", newer, appended, err)
	}
	if all, err := l.Read(t.Context(), last); err != nil || len(all) != 0 {
		t.Errorf("read %v, %v; want nothing", all, err)
	}
	if back, err := redislog.ParseMark(last.String()); back != last || err != nil {
		t.Errorf("mark %v came back as %v, %v", last, back, err)
	}
	if _, _, err := l.Append(t.Context(), last, [][]byte{make([]byte, redislog.MaxEntry+1)}, false); err == nil {
		t.Error("too long an entry was appended")
	}
	p.Session = "another"
	other := opened(t, p)
	if all, err := other.Read(t.Context(), redislog.Mark{}); err != nil || len(all) != 0 {
		t.Errorf("a log that was not begun reads as %v, %v", all, err)
	}
	if _, _, err := other.Append(t.Context(), redislog.Mark{}, texts("x"), false); !errors.Is(err, redislog.ErrLost) {
		t.Errorf("append to a log that was not begun: %v", err)
	}
}

// TestAppendTogether appends several entries at once. Repeated, they are found, with what came after them; of entries that Redis has only in
// part, as when a stranger cut the log, the first are found. Nothing is appended beyond the bounds, nor when others were first.
func TestAppendTogether(t *testing.T) {
	server := redistest.Start(t)
	p := redislog.Place{URL: server.URL, Session: "s", Secret: "x"}
	l, at := begun(t, p)
	three := texts("a", "b", "c")
	all, n, err := l.Append(t.Context(), at, three, false)
	if err != nil || n != 3 || len(all) != 3 || string(all[2].Data) != "c" || all[2].Number != 6 {
		t.Fatalf("append gave %v, %d, %v", all, n, err)
	}
	if _, n, err = l.Append(t.Context(), all[2].Mark, texts("d"), false); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	for name, test := range map[string]struct {
		cut         string // the first entry that is gone
		data        [][]byte
		newer, mine int
	}{
		"repeated":      {"", three, 4, 3},
		"others first":  {"", texts("x", "b", "c"), 4, 0},
		"another third": {"", texts("a", "b", "x"), 4, 2},
		"cut":           {"6-0", three, 2, 2},
		"all cut":       {"4-0", three, 3, 3},
	} {
		t.Run(name, func(t *testing.T) {
			p.Session = name
			l := opened(t, p)
			if _, err := server.Client.Do(t.Context(), "DEL", redislog.Key(name)); err != nil {
				t.Fatal(err)
			}
			begin, _, err := l.Append(t.Context(), redislog.Mark{}, texts("0", "1", "2"), true)
			if err != nil {
				t.Fatal(err)
			}
			at := begin[2].Mark
			if _, _, err := l.Append(t.Context(), at, texts("a", "b", "c", "d"), false); err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{"4-0", "5-0", "6-0", "7-0"} {
				if test.cut != "" && id >= test.cut {
					if _, err := server.Client.Do(t.Context(), "XDEL", redislog.Key(name), id); err != nil {
						t.Fatal(err)
					}
				}
			}
			newer, mine, err := l.Append(t.Context(), at, test.data, false)
			if err != nil || len(newer) != test.newer || mine != test.mine {
				t.Errorf("%d newer, %d of them mine, %v; want %d, %d", len(newer), mine, err, test.newer, test.mine)
			}
		})
	}
	many := make([][]byte, redislog.MaxEntries+1)
	half := make([]byte, redislog.MaxEntry/2+1)
	for name, data := range map[string][][]byte{"none": nil, "many": many, "long": {half, half}} {
		if _, _, err := l.Append(t.Context(), all[2].Mark, data, false); err == nil {
			t.Errorf("%s was appended", name)
		}
	}
	if all, n, err = l.Append(t.Context(), redislog.Mark{Number: 7, Sum: "x"}, texts("x", "y"), false); !errors.Is(err, redislog.ErrLost) {
		t.Errorf("after another entry: %v, %d, %v", all, n, err)
	}
	most := many[1:]
	for i := range most {
		most[i] = make([]byte, redislog.MaxEntry/redislog.MaxEntries)
	}
	p.Session = "most"
	l = opened(t, p)
	for range 2 { // the second time, they are there
		if all, n, err := l.Append(t.Context(), redislog.Mark{}, most, true); err != nil || n != redislog.MaxEntries || len(all) != n {
			t.Errorf("the most that fits: %d of %d, %v", n, len(all), err)
		}
	}
}

// TestStranger attacks a log as somebody who may write to Redis but lacks the secret.
func TestStranger(t *testing.T) {
	server := redistest.Start(t)
	type command []any
	add := func(id string, fields ...any) []command {
		return []command{append(command{"XADD", "KEY", id}, fields...)}
	}
	for name, test := range map[string]struct {
		attack []command
		want   error
	}{
		"forged":      {add("4-0", "d", "forged", "m", "AAAAAAAAAAAAAAAAAAAAAAAA"), redislog.ErrForged},
		"no seal":     {add("4-0", "d", "forged"), redislog.ErrForged},
		"more fields": {add("4-0", "d", "a", "m", "b", "d", "c"), redislog.ErrForged},
		"gap":         {add("9-0", "d", "forged", "m", "x"), redislog.ErrForged},
		"part":        {add("4-1", "d", "forged", "m", "x"), redislog.ErrForged},
		"long seal":   {add("4-0", "d", "a", "m", strings.Repeat("x", 1<<20)), redislog.ErrForged},
		"long":        {add("4-0", "d", strings.Repeat("x", 64<<20), "m", "x"), redislog.ErrForged},
		"repeated": {[]command{{"EVAL", `
local f = redis.call('XRANGE', KEYS[1], '3-0', '3-0')[1][2]
return redis.call('XADD', KEYS[1], '4-0', unpack(f))`, 1, "KEY"}}, redislog.ErrForged},
		"deleted":    {[]command{{"DEL", "KEY"}}, redislog.ErrLost},
		"emptied":    {[]command{{"XTRIM", "KEY", "MAXLEN", 0}}, redislog.ErrLost},
		"cut":        {[]command{{"XDEL", "KEY", "3-0"}}, redislog.ErrLost},
		"wrong type": {[]command{{"DEL", "KEY"}, {"SET", "KEY", "x"}}, redislog.ErrForged},
	} {
		t.Run(name, func(t *testing.T) {
			p := redislog.Place{URL: server.URL, Session: name, Secret: "x"}
			l, at := begun(t, p)
			for _, c := range test.attack {
				args := slices.Clone(c[1:])
				args[slices.Index(args, any("KEY"))] = redislog.Key(name)
				if _, err := server.Client.Do(t.Context(), c[0].(string), args...); err != nil {
					t.Fatal(err)
				}
			}
			if all, err := l.Read(t.Context(), at); !errors.Is(err, test.want) {
				t.Errorf("read gave %v, %v; want %v", all, err, test.want)
			}
			if _, _, err := l.Append(t.Context(), at, texts("mine", "mine too"), false); !errors.Is(err, test.want) {
				t.Errorf("append gave %v; want %v", err, test.want)
			}
		})
	}
	t.Run("wrong secret", func(t *testing.T) {
		p := redislog.Place{URL: server.URL, Session: "secret", Secret: "x"}
		begun(t, p)
		p.Secret = "y"
		if _, err := opened(t, p).Read(t.Context(), redislog.Mark{}); !errors.Is(err, redislog.ErrForged) {
			t.Errorf("read with another secret: %v", err)
		}
	})
}

// TestUser checks that a Redis user needs only the rights that the help page lists.
func TestUser(t *testing.T) {
	server := redistest.Start(t, strings.Fields("--user default off --user hub on >word ~ocaptain:* +@stream +evalsha +eval +exists +ping +info")...)
	address := strings.Replace(server.URL, "unix://", "unix://hub@", 1)
	begun(t, redislog.Place{URL: address, Password: "word", Session: "s", Secret: "x"})
	if h, err := redislog.Examine(t.Context(), address, "word"); err != nil || len(h.Defects) > 0 {
		t.Errorf("examined: %+v, %v", h, err)
	}
}

// TestPassword checks that a password opens a Redis, and that no error shows it.
func TestPassword(t *testing.T) {
	const password = "hunter2-hunter2"
	server := redistest.Start(t, "--requirepass", password)
	p := redislog.Place{URL: server.URL, Session: "s", Secret: "x", Password: password}
	begun(t, p)
	for _, wrong := range []string{"", password + "x"} {
		p.Password = wrong
		_, err := opened(t, p).Read(t.Context(), redislog.Mark{})
		if !errors.Is(err, redislog.ErrUnreachable) || strings.Contains(err.Error(), password) {
			t.Errorf("with password %q: %v", wrong, err)
		}
	}
	for _, address := range []string{"redis://:" + password + "@localhost", "http://" + password, "redis://localhost?password=" + password, "redis://a:" + password + "@[", ""} {
		if _, err := redislog.Open(redislog.Place{URL: address}); err == nil || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestUnreachable checks the error of a Redis that is gone, and that the log works when it is back.
func TestUnreachable(t *testing.T) {
	server := redistest.Start(t, "--appendfsync", "always") // else it may lose what it wrote while the disk was slow
	l, at := begun(t, redislog.Place{URL: server.URL, Session: "s", Secret: "x"})
	server.Kill()
	if _, err := l.Read(t.Context(), at); !errors.Is(err, redislog.ErrUnreachable) {
		t.Errorf("without Redis: %v", err)
	}
	server.Run(t)
	eventually.Succeeds(t, "it reads again", func() error {
		all, err := l.Read(t.Context(), redislog.Mark{})
		if err == nil && len(all) != 3 {
			t.Fatalf("afterwards there are %d entries", len(all))
		}
		return err
	})
}
