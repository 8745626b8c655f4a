package exedev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// client follows no redirects, since these would send the token elsewhere.
var client = &http.Client{
	Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// overHTTPS executes one command by the HTTPS API, which answers in JSON.
func (l *lobby) overHTTPS(ctx context.Context, token, line string) ([]byte, error) {
	if strings.ContainsAny(token, " \r\n\x00") || len(token) > 8<<10 {
		return nil, &refusal{text: "EXE_TOKEN has spaces in it or is too long: copy it again"}
	}
	base := "https://exe.dev"
	if l.via != nil {
		base = strings.TrimSuffix(l.via.String(), "/")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/exec", strings.NewReader(line))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "text/plain")
	response, err := client.Do(request)
	if err != nil {
		var at *url.Error
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, &broken{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerMax+1))
	if err != nil {
		return nil, &broken{err: fmt.Errorf("answer cut short: %w", err)}
	}
	if len(body) > answerMax {
		return nil, &refusal{text: "the answer is too long"}
	}
	if exit := response.Trailer.Get("X-Exe-Exit"); exit != "" && exit != "0" {
		code, _ := strconv.Atoi(exit)
		return nil, &refusal{text: reason(body, nil), code: code}
	}
	command, _, _ := strings.Cut(line, " --")
	return body, verdict(response, body, command)
}

// verdict converts the status of an answer to an error, nil for success.
func verdict(response *http.Response, body []byte, command string) error {
	why := reason(body, nil)
	switch code := response.StatusCode; {
	case code == http.StatusOK && len(body) == 0 && !strings.HasPrefix(command, "ssh "):
		return &broken{err: errors.New("an empty answer")}
	case code == http.StatusOK:
		return nil
	case code == http.StatusUnauthorized:
		return &refusal{text: "EXE_TOKEN is not accepted, as it is wrong, expired or revoked: " + why + "; " + another, login: true}
	case code == http.StatusForbidden:
		return &refusal{text: fmt.Sprintf("EXE_TOKEN does not allow %q: %s; %s", firstWords(command), why, another), login: true}
	case code == http.StatusTooManyRequests:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		after := time.Duration(max(1, min(seconds, 300))) * time.Second
		return &broken{err: fmt.Errorf("too many requests: %s", why), undone: true, after: after}
	case code >= 500:
		return &broken{err: fmt.Errorf("status %d: %s", code, why)}
	default:
		return &refusal{text: fmt.Sprintf("%s (status %d)", why, code)}
	}
}

// firstWords returns the part of a command that a token can allow.
func firstWords(command string) string {
	words := strings.Fields(command)
	n := 1
	if len(words) > 1 && words[0] == "ssh-key" {
		n = 2
	}
	return strings.Join(words[:min(n, len(words))], " ")
}

// another says how to use another token, which helm then gets too.
const another = "make one with: " + MakeToken + ", export EXE_TOKEN=… and run: ocaptain doctor --provider exedev"

// MakeToken is the command that makes a token with the rights that ocaptain needs.
const MakeToken = `ssh exe.dev ssh-key generate-api-key --label=ocaptain --cmds="ls,new,rm,restart,ssh,whoami,ssh-key add" --exp=90d`
