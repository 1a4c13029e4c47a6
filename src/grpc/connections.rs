//! Connections: how many there are at a time, how long a new one may say nothing, and how they
//! are closed.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use futures::{Stream, StreamExt, stream};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;
use tonic::transport::server::{Connected, TcpConnectInfo, TcpIncoming};

/// Connections at a time, if the process may have that many files open.
const MOST: usize = 1024;
/// How long a connection has until the head of its first request is there. Nothing else looks
/// after it before: pings begin after the preface of HTTP/2.
const GREETING: Duration = Duration::from_secs(10);
/// How long a connection that is closed here is still read until the client has closed it, too:
/// one that is closed with unread bytes is reset, and the client may lose its last answers.
const LINGER: Duration = Duration::from_secs(1);
/// Pause after a connection could not be taken, for want of files or memory: it stays in the
/// backlog, so that the next try would fail at once.
const PAUSE: Duration = Duration::from_millis(100);
/// How often the other machine is asked within a period of keepalive, before it is given up.
const PROBES: u32 = 3;
/// Least time between two lines in the log about connections that are not taken.
const LOG_PERIOD: Duration = Duration::from_secs(10);

/// Connections of this listener, with a bound that leaves files to ROS. `keepalive` is the
/// silence after which the other machine is asked whether it is still there, and how long it
/// has to answer: pings of HTTP/2 do the same for all that speak it.
pub(super) fn incoming(
    listener: TcpListener,
    keepalive: Duration,
) -> impl Stream<Item = io::Result<Connection>> {
    at_most(most(), listener, keepalive)
}

fn at_most(
    most: usize,
    listener: TcpListener,
    keepalive: Duration,
) -> impl Stream<Item = io::Result<Connection>> {
    let sockets = TcpIncoming::from(listener)
        .with_nodelay(Some(true))
        .with_keepalive(Some(keepalive))
        .with_keepalive_interval(Some(keepalive / PROBES))
        .with_keepalive_retries(Some(PROBES));
    let door = Door {
        sockets,
        most,
        places: Arc::new(Semaphore::new(most)),
        quiet_until: None,
    };
    stream::unfold(door, |mut door| async move {
        let connection = door.next().await?;
        Some((Ok(connection), door))
    })
}

/// A quarter of the files that may be open is left to ROS and the rest of the process.
fn most() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    open_files(&limits).map_or(MOST, |files| MOST.min(files / 4 * 3))
}

/// How many files a process with these limits may have open; `None` = any number.
fn open_files(limits: &str) -> Option<usize> {
    let mut lines = limits.lines();
    let line = lines.find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Takes connections.
struct Door {
    sockets: TcpIncoming,
    most: usize,
    places: Arc<Semaphore>,
    /// Until when nothing is logged.
    quiet_until: Option<Instant>,
}

impl Door {
    /// The next connection for which there is a place; `None` never comes, since a listener
    /// does not end.
    async fn next(&mut self) -> Option<Connection> {
        loop {
            match self.sockets.next().await? {
                Ok(socket) => match Arc::clone(&self.places).try_acquire_owned() {
                    Ok(place) => return Some(Connection::new(socket, place)),
                    Err(_) => self.warn(&format!(
                        "a connection was closed: {} are open, more are not taken",
                        self.most
                    )),
                },
                // The client has gone before its turn.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    self.warn(&format!("no connection can be taken: {error}"));
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    fn warn(&mut self, what: &str) {
        let now = Instant::now();
        if self.quiet_until.is_none_or(|until| now >= until) {
            self.quiet_until = Some(now + LOG_PERIOD);
            tracing::warn!("{what}");
        }
    }
}

/// One connection. Its place is given back when it ends.
pub(super) struct Connection {
    socket: TcpStream,
    /// `None` when the head of its first request has come.
    greeting: Option<Greeting>,
    /// Until when it is still read, once it is closed here.
    lingers: Option<Pin<Box<Sleep>>>,
    _place: OwnedSemaphorePermit,
}

/// What a connection has said first.
struct Greeting {
    until: Pin<Box<Sleep>>,
    /// How many bytes, and the last four of them.
    length: usize,
    tail: u32,
}

impl Greeting {
    /// The preface of HTTP/2 ends, like the head of a request of HTTP/1.1, with an empty line.
    const END: u32 = u32::from_be_bytes(*b"\r\n\r\n");
    /// The preface of HTTP/2, which has another empty line within. A head of HTTP/1.1 with the
    /// host that it has to name is not shorter.
    const LEAST: usize = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".len();

    /// Takes the next bytes. Returns whether it is complete.
    fn hear(&mut self, bytes: &[u8]) -> bool {
        bytes.iter().any(|byte| {
            self.length += 1;
            self.tail = (self.tail << 8) | u32::from(*byte);
            self.length >= Self::LEAST && self.tail == Self::END
        })
    }
}

impl Connection {
    fn new(socket: TcpStream, place: OwnedSemaphorePermit) -> Self {
        let greeting = Greeting {
            until: Box::pin(tokio::time::sleep(GREETING)),
            length: 0,
            tail: 0,
        };
        Self {
            socket,
            greeting: Some(greeting),
            lingers: None,
            _place: place,
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.socket).poll_read(context, buffer);
        if let Some(greeting) = &mut this.greeting {
            if greeting.hear(&buffer.filled()[before..]) {
                this.greeting = None;
            } else if read.is_pending() && greeting.until.as_mut().poll(context).is_ready() {
                return Poll::Ready(Err(ErrorKind::TimedOut.into()));
            }
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let until = match &mut this.lingers {
            Some(until) => until,
            None => {
                ready!(Pin::new(&mut this.socket).poll_shutdown(context))?;
                (this.lingers).insert(Box::pin(tokio::time::sleep(LINGER)))
            }
        };
        let mut bytes = [0; 4096];
        while until.as_mut().poll(context).is_pending() {
            let mut buffer = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut this.socket).poll_read(context, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                break;
            }
        }
        Poll::Ready(Ok(()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }
}

impl Connected for Connection {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> Self::ConnectInfo {
        self.socket.connect_info()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[test]
    fn the_files_of_a_process_are_read_from_its_limits() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max processes             62914                62914                processes\n\
                      Max open files            1000                 524288               files\n";
        assert_eq!(open_files(limits), Some(1000));
        assert_eq!(open_files(&limits.replace("1000", "unlimited")), None);
        assert_eq!(open_files(""), None);
        assert!((1..=MOST).contains(&most()), "{}", most());
    }

    #[tokio::test]
    async fn one_too_many_is_closed_and_a_place_is_given_back() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut incoming = pin!(at_most(2, listener, GREETING));
        let mut clients = Vec::new();
        let mut taken = Vec::new();
        for _ in 0..2 {
            clients.push(TcpStream::connect(address).await.unwrap());
            taken.push(incoming.next().await.unwrap().unwrap());
        }
        let mut third = TcpStream::connect(address).await.unwrap();
        let mut rest = Vec::new();
        tokio::select! {
            _ = incoming.next() => panic!("a third one was taken"),
            end = third.read_to_end(&mut rest) => assert_eq!(end.unwrap(), 0),
        }
        let ended = taken.pop();
        drop(ended);
        let fourth = TcpStream::connect(address).await.unwrap();
        let connection = incoming.next().await.unwrap().unwrap();
        let remote = connection.connect_info().remote_addr().unwrap();
        assert_eq!(remote, fourth.local_addr().unwrap());
    }

    /// A client with its connection as it is here.
    async fn connect() -> (TcpStream, Connection) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let client = TcpStream::connect(address).await.unwrap();
        let mut incoming = pin!(at_most(1, listener, GREETING));
        let connection = incoming.next().await.unwrap().unwrap();
        (client, connection)
    }

    #[tokio::test]
    async fn what_was_said_last_arrives_though_the_client_has_said_more() {
        let (mut client, mut connection) = connect().await;
        client.write_all(&[1; 10_000]).await.unwrap();
        connection.write_all(b"farewell").await.unwrap();
        let closing = tokio::spawn(async move { connection.shutdown().await });
        let mut heard = Vec::new();
        client.read_to_end(&mut heard).await.unwrap();
        assert_eq!(heard, b"farewell");
        drop(client);
        closing.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_client_that_does_not_close_is_not_waited_for_long() {
        let (client, mut connection) = connect().await;
        connection.shutdown().await.unwrap();
        drop(client);
    }

    #[tokio::test]
    async fn a_greeting_ends_with_the_head_of_a_request() {
        let request = "POST /Call HTTP/1.1\r\nhost: x\r\n\r\n";
        for (said, wanted) in [
            ("", false),
            ("PRI * HTTP/2.0\r\n\r\n", false),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r", false),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", true),
            (&request[..request.len() - 1], false),
            (request, true),
            ("POST /Call HTTP/1.1\r\nhost: x\r\n\r\nand more", true),
        ] {
            // In one piece and byte by byte.
            for size in [1000, 1] {
                let mut greeting = Greeting {
                    until: Box::pin(tokio::time::sleep(GREETING)),
                    length: 0,
                    tail: 0,
                };
                let heard = said.as_bytes().chunks(size).any(|part| greeting.hear(part));
                assert_eq!(heard, wanted, "{said:?} in pieces of {size}");
            }
        }
    }
}
