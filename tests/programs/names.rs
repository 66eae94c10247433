// A generic function, a closure and a trait method, in a module: names of Rust, mangled in either way.
use std::hint::black_box;

mod inner {
    use std::hint::black_box;

    pub trait Worker {
        fn work(&self, rounds: u64) -> u64;
    }
    pub struct Busy;
    impl Worker for Busy {
        #[inline(never)]
        fn work(&self, rounds: u64) -> u64 {
            let mut sum = 0u64;
            for i in 0..rounds {
                sum = black_box(sum.wrapping_add(i));
            }
            sum
        }
    }
    #[inline(never)]
    pub fn generic<T: Worker>(worker: &T, rounds: u64) -> u64 {
        let sum = worker.work(rounds);
        black_box(sum) + 1
    }
}

#[inline(never)]
fn outer<F: Fn(u64) -> u64>(function: F, rounds: u64) -> u64 {
    let sum = function(rounds);
    black_box(sum) + 1
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(100_000_000);
    let result = outer(#[inline(never)] |n| inner::generic(&inner::Busy, n) + 1, rounds);
    black_box(result);
}
