//! Generates the gRPC interface of the Kachaka from `proto/`.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "ros")]
    grpc::generate()?;
    Ok(())
}

#[cfg(feature = "ros")]
mod grpc {
    use std::error::Error;
    use std::path::PathBuf;

    const PROTO: &str = "kachaka-api.proto";
    const FOLDER: &str = "proto";

    pub(super) fn generate() -> Result<(), Box<dyn Error>> {
        println!("cargo::rerun-if-changed={FOLDER}");
        let mut compiler = protox::Compiler::new([FOLDER])?;
        compiler.include_imports(true).open_file(PROTO)?;
        // What the server tells by reflection.
        let out = PathBuf::from(std::env::var("OUT_DIR")?);
        std::fs::write(
            out.join("kachaka_api.bin"),
            compiler.encode_file_descriptor_set(),
        )?;
        tonic_prost_build::compile_fds(compiler.file_descriptor_set())?;
        Ok(())
    }
}
