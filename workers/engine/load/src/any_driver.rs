//! A driver behind a pointer. What is not on the way of a request (preparing, the lag of replicas, audits, the bare
//! loop) exists once for all protocols, so that only the load threads' loop is compiled anew for each of them.

use std::any::Any;
use std::io;
use std::sync::Arc;

use loadstone_spec::plan::TcpAddress;

use crate::driver::{Asked, Driver, Greeted, Greeting, Role, Shape, Step};
use crate::links::Shared;
use crate::share::{Share, work};

/// Any driver of one protocol.
#[derive(Clone)]
pub struct AnyDriver(Arc<dyn Erased>);

impl AnyDriver {
    pub fn new<D: Driver>(driver: D) -> Self {
        Self(Arc::new(driver))
    }

    /// Carries out a load thread's share with the loop of the driver's own protocol.
    pub(crate) fn work(&self, shared: &Shared<Self>, share: Share) -> io::Result<()> {
        Arc::clone(&self.0).work(shared, share)
    }
}

trait Erased: Send + Sync {
    fn needs_scout(&self) -> bool;
    fn greet(&self, role: Role, out: &mut Vec<u8>) -> Box<dyn Greeting>;
    fn endpoints(&self) -> Vec<TcpAddress>;
    fn route(&self, asked: &Asked<'_>) -> usize;
    fn reply_bytes(&self, shape: &Shape) -> Option<usize>;
    fn encode(&self, asked: &Asked<'_>, out: &mut Vec<u8>);
    fn read(&self, reader: &mut AnyReader, asked: &Asked<'_>, input: &[u8]) -> Step;
    fn work(self: Arc<Self>, shared: &Shared<AnyDriver>, share: Share) -> io::Result<()>;
}

/// A driver's reader, once there is one.
#[derive(Default)]
pub struct AnyReader(Option<Box<dyn Any + Send>>);

impl<D: Driver> Erased for D {
    fn needs_scout(&self) -> bool {
        Driver::needs_scout(self)
    }

    fn greet(&self, role: Role, out: &mut Vec<u8>) -> Box<dyn Greeting> {
        Box::new(Driver::greet(self, role, out))
    }

    fn endpoints(&self) -> Vec<TcpAddress> {
        Driver::endpoints(self)
    }

    fn route(&self, asked: &Asked<'_>) -> usize {
        Driver::route(self, asked)
    }

    fn reply_bytes(&self, shape: &Shape) -> Option<usize> {
        Driver::reply_bytes(self, shape)
    }

    fn encode(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        Driver::encode(self, asked, out);
    }

    fn read(&self, reader: &mut AnyReader, asked: &Asked<'_>, input: &[u8]) -> Step {
        let own = reader.0.get_or_insert_with(|| Box::new(D::Reader::default()));
        match own.downcast_mut::<D::Reader>() {
            Some(own) => Driver::read(self, own, asked, input),
            None => Step::Broken,
        }
    }

    fn work(self: Arc<Self>, shared: &Shared<AnyDriver>, share: Share) -> io::Result<()> {
        work(shared.with_driver(self), share)
    }
}

impl Greeting for Box<dyn Greeting> {
    fn advance(&mut self, input: &[u8], out: &mut Vec<u8>) -> Greeted {
        (**self).advance(input, out)
    }

    fn session(&self) -> u64 {
        (**self).session()
    }
}

impl Driver for AnyDriver {
    type Greeting = Box<dyn Greeting>;
    type Reader = AnyReader;

    fn needs_scout(&self) -> bool {
        self.0.needs_scout()
    }

    fn greet(&self, role: Role, out: &mut Vec<u8>) -> Box<dyn Greeting> {
        self.0.greet(role, out)
    }

    fn endpoints(&self) -> Vec<TcpAddress> {
        self.0.endpoints()
    }

    fn route(&self, asked: &Asked<'_>) -> usize {
        self.0.route(asked)
    }

    fn reply_bytes(&self, shape: &Shape) -> Option<usize> {
        self.0.reply_bytes(shape)
    }

    fn encode(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        self.0.encode(asked, out);
    }

    fn read(&self, reader: &mut AnyReader, asked: &Asked<'_>, input: &[u8]) -> Step {
        self.0.read(reader, asked, input)
    }
}
