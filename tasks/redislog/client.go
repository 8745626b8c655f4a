package redislog

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

// deadline bounds each step of a request: the connection, the question, the answer.
const deadline = 3 * time.Second

// maxConns is how many connections a client has at once. Further requests wait for one to be free.
const maxConns = 4

// Client asks a Redis. Its methods are safe for concurrent use.
type Client struct{ pool redis.Pool }

// Connect returns a client of the Redis at an address. It connects with the first request.
func Connect(address, password string) (*Client, error) {
	if err := CheckURL(address); err != nil {
		return nil, fmt.Errorf("the address of Redis %w", err)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address of Redis cannot be read") // the error may repeat it
	}
	options := []redis.DialOption{
		redis.DialConnectTimeout(deadline), redis.DialReadTimeout(deadline), redis.DialWriteTimeout(deadline), redis.DialTLSHandshakeTimeout(deadline),
		redis.DialUsername(u.User.Username()), redis.DialPassword(password),
	}
	u.User = nil // redigo takes a user without a password for a password
	dial := func(ctx context.Context) (redis.Conn, error) {
		return redis.DialURLContext(ctx, u.String(), options...)
	}
	if u.Scheme == "unix" {
		dial = func(ctx context.Context) (redis.Conn, error) {
			return redis.DialContext(ctx, "unix", u.Path, options...)
		}
	}
	return &Client{redis.Pool{DialContext: dial, MaxIdle: maxConns, MaxActive: maxConns, Wait: true}}, nil
}

// Close closes the connections.
func (c *Client) Close() error { return c.pool.Close() }

// Do sends a command and returns its answer. A request without an answer is sent once more: a connection may have ended while it was not
// used. The error wraps ErrUnreachable or ErrForged, unless ctx was cancelled.
func (c *Client) Do(ctx context.Context, command string, args ...any) (any, error) {
	return c.twice(ctx, func(conn redis.Conn) (any, error) { return redis.DoContext(conn, ctx, command, args...) })
}

// run runs a script as Do sends a command. Its answer is a list of texts.
func (c *Client) run(ctx context.Context, s *redis.Script, keysAndArgs ...any) ([]string, error) {
	texts, err := redis.Strings(c.twice(ctx, func(conn redis.Conn) (any, error) { return s.DoContext(ctx, conn, keysAndArgs...) }))
	if err != nil {
		return nil, trouble(err)
	}
	return texts, nil
}

func (c *Client) twice(ctx context.Context, ask func(redis.Conn) (any, error)) (answer any, err error) {
	for range 2 {
		var conn redis.Conn
		if conn, err = c.pool.GetContext(ctx); err == nil {
			answer, err = ask(conn)
			_ = conn.Close()
		}
		if _, refused := errors.AsType[redis.Error](err); err == nil || refused || ctx.Err() != nil {
			break
		}
	}
	return answer, trouble(err)
}

// trouble wraps an error of redigo.
func trouble(err error) error {
	if err == nil || errors.Is(err, ErrUnreachable) || errors.Is(err, ErrForged) || errors.Is(err, context.Canceled) {
		return err
	}
	if at, ok := errors.AsType[redis.Error](err); ok && strings.HasPrefix(at.Error(), "WRONGTYPE") {
		return fmt.Errorf("%w: %w", ErrForged, err)
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}
