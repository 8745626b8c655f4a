package redislog

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

// least is the oldest major version of Redis that can keep the log.
const least = 5 // the first version with streams

// Health describes a Redis that keeps a log.
type Health struct {
	Version string
	Latency time.Duration // the median time of several answers
	Defects []Defect
}

// Defect is a setting by which Redis may lose a log, and what to do about it.
type Defect struct{ What, Fix string }

// Examine asks a Redis about its version, settings and speed. Its error wraps ErrUnreachable.
func Examine(ctx context.Context, address, password string) (Health, error) {
	client, err := Connect(address, password)
	if err != nil {
		return Health{}, err
	}
	defer client.Close()
	var took []time.Duration
	for range 9 {
		began := time.Now()
		if _, err := client.Do(ctx, "PING"); err != nil {
			return Health{}, err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	info, err := redis.String(client.Do(ctx, "INFO"))
	if err != nil {
		return Health{}, trouble(err)
	}
	h := judge(info)
	h.Latency = took[len(took)/2]
	return h, nil
}

// judge reads the answer of Redis to INFO.
func judge(info string) (h Health) {
	says := map[string]string{}
	for line := range strings.Lines(info) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			says[key] = value
		}
	}
	h.Version = says["redis_version"]
	add := func(what, fix string) { h.Defects = append(h.Defects, Defect{what, fix}) }
	major, _, _ := strings.Cut(h.Version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < least {
		add("its version is "+strconv.Quote(h.Version)+", older than 5", "install a newer Redis")
	}
	if says["aof_enabled"] != "1" {
		add("it does not write down what it gets at once, and loses sessions when it ends", "appendonly yes in redis.conf, or: redis-cli CONFIG SET appendonly yes")
	}
	if policy := says["maxmemory_policy"]; policy != "noeviction" {
		add("when its memory is full it removes what it has (maxmemory-policy "+policy+"), sessions too", "maxmemory-policy noeviction in redis.conf")
	}
	if says["role"] != "master" {
		add("it is a copy of another ("+says["role"]+"), and takes no changes", "give the address of that other")
	}
	return h
}
