package pipenet

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New()
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		_, err := p.dial(ctx, "", "")
		assert.ErrorIs(t, err, context.DeadlineExceeded, "nobody accepts")

		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) })}
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(p) }()
		resp, err := p.Client().Get("http://anywhere/")
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, "anywhere", string(body))

		require.NoError(t, server.Close())
		assert.ErrorIs(t, <-ended, http.ErrServerClosed)
		_, err = p.Client().Get("http://anywhere/")
		assert.ErrorIs(t, err, net.ErrClosed)
		_, err = p.Accept()
		assert.ErrorIs(t, err, net.ErrClosed)
	})
}
