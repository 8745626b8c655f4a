package telemetry

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

// maxConnections bounds the open connections of a listener.
const maxConnections = 64

// Serve serves connections over HTTP/1.1 and HTTP/2 until ctx ends, and then finishes the requests in progress for a moment. The
// listener may be of any kind.
func Serve(ctx context.Context, listener net.Listener, r *Receiver) error {
	var both http.Protocols
	both.SetHTTP1(true)
	both.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler:           r,
		Protocols:         &both,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0), // what a source sends must not fill a log
		IdleTimeout:       5 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 16, MaxReadFrameSize: 1 << 20},
	}
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
	})
	err := server.Serve(netutil.LimitListener(listener, maxConnections))
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		return errors.Join(err, server.Close())
	}
	<-closed
	return nil
}
