// Package freeport finds TCP ports that no process listens on.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Find returns n ports of the loopback interface on which nobody listens. They are below the range of ephemeral ports, so no connection
// and no listener on port 0 gets them. They are random, because another process may look for ports, too.
func Find(n int) (ports []int, err error) {
	for range 1000 {
		port := 20_000 + rand.IntN(12_000)
		l, failed := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if failed != nil {
			err = failed
			continue
		}
		defer l.Close()
		if ports = append(ports, port); len(ports) == n {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("find %d free ports: %w", n, err)
}

// Address returns an address with one such port.
func Address() (string, error) {
	ports, err := Find(1)
	if err != nil {
		return "", err
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[0])), nil
}
