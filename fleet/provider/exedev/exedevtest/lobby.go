package exedevtest

import (
	"cmp"
	"io"
	"net"
	"net/http"
	"time"

	"golang.org/x/crypto/ssh"
)

// perform executes one command, with the faults that are due. If ok is false, there is no answer.
func (f *Fake) perform(line string) (r result, status int, ok bool) {
	f.heard(line)
	words, err := split(line)
	if err != nil || len(words) == 0 {
		return refuse("cannot read the command"), http.StatusBadRequest, true
	}
	began := time.Now()
	defer func() { f.worked(commandName(words), time.Since(began)) }()
	f.pause(f.config.Latency)
	fault, due := f.fault(commandName(words))
	if !due {
		return f.carryOut(words), http.StatusOK, true
	}
	switch fault {
	case Lost:
		f.carryOut(words)
		return result{}, 0, false
	case Dropped:
		return result{}, 0, false
	case Unseen:
		f.carryOut(words)
		return refuse("internal error"), http.StatusInternalServerError, true
	case Late:
		f.jobs.Go(func() {
			f.pause(2 * time.Second)
			f.carryOut(words)
		})
		return refuse("timed out"), http.StatusGatewayTimeout, true
	case Denied:
		f.carryOut(words)
		return refuse("internal error"), http.StatusOK, true
	case Existed:
		f.carryOut(words)
		return refuse("VM name %q already exists", words[len(words)-1]), http.StatusOK, true
	case Failing:
		return answer(map[string]any{"error": "backend unavailable"}), http.StatusOK, true
	case Bare:
		return answer(map[string]any{}), http.StatusOK, true
	case Silent:
		return result{out: "\n"}, http.StatusOK, true
	case Claimed:
		return answer(map[string]any{"deleted": words[1:]}), http.StatusOK, true
	case Lacks, Lags, Stranger:
		return f.lie(fault, words), http.StatusOK, true
	case Throttle:
		return refuse("too many requests"), http.StatusTooManyRequests, true
	}
	return refuse("internal error"), http.StatusInternalServerError, true
}

// lie returns a wrong or outdated answer.
func (f *Fake) lie(fault Fault, words []string) result {
	switch {
	case commandName(words) == "whoami":
		return answer(map[string]any{"email": "eve@example.org", "ssh_keys": []string{}})
	case fault == Lags:
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.listed(f.before, false)
	}
	return answer(map[string]any{"vms": []string{}})
}

// knocks counts a connection to the lobby, and reports whether the lobby ignores it.
func (f *Fake) knocks() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	f.logins++
	for len(f.dials) > 0 && now.Sub(f.dials[0]) > 5*time.Second {
		f.dials = f.dials[1:]
	}
	f.dials = append(f.dials, now)
	if f.config.Connects > 0 && len(f.dials) >= f.config.Connects {
		f.ignore = now.Add(cmp.Or(f.config.Ignores, time.Minute))
	}
	return now.Before(f.ignore)
}

// serveLobby is the lobby's SSH server. It lets in unknown keys too, so that they can register.
func (f *Fake) serveLobby(conn net.Conn) {
	if f.knocks() {
		<-f.over
		return
	}
	config := &ssh.ServerConfig{
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			print := ssh.FingerprintSHA256(key)
			return &ssh.Permissions{Extensions: map[string]string{"key": print}}, nil
		},
	}
	config.AddHostKey(f.host)
	sc, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	f.mu.Lock()
	known := f.keys[sc.Permissions.Extensions["key"]] != nil
	f.mu.Unlock()
	for offered := range channels {
		if offered.ChannelType() != "session" {
			_ = offered.Reject(ssh.UnknownChannelType, "sessions only")
			continue
		}
		channel, requests, err := offered.Accept()
		if err != nil {
			return
		}
		f.jobs.Go(func() { f.lobbySession(conn, channel, requests, known) })
	}
}

func (f *Fake) lobbySession(conn net.Conn, channel ssh.Channel, requests <-chan *ssh.Request, known bool) {
	defer channel.Close()
	for request := range requests {
		var line struct{ Command string }
		ok := request.Type == "exec" && ssh.Unmarshal(request.Payload, &line) == nil
		if request.WantReply {
			_ = request.Reply(ok, nil)
		}
		if !ok {
			continue
		}
		r := result{out: "Welcome to EXE.DEV! You need to register first.\nEmail: "}
		if known {
			var answered bool
			if r, _, answered = f.perform(line.Command); !answered {
				conn.Close()
				return
			}
		}
		_, _ = io.WriteString(channel, cmp.Or(r.bare, r.out))
		_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{uint32(r.code)}))
		return
	}
}
